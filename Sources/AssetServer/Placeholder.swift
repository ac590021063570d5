// SPDX-License-Identifier: Apache-2.0

import NIOHTTPCompression
import NIOSSL
import X509
