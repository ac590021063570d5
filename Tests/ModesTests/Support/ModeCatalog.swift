// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClientModes
import CurlModes
import NIOModes
import OpenCombineModes
import RawModes
import Rendering
import TrialKit
import URLSessionModes

/// Every mode of this project, whatever program it is in.
enum ModeCatalog {
    static let all: [any FetchMode] =
        [NoneMode()] + URLSessionCatalog.all + OpenCombineCatalog.all(decodingWith: DecodingModel.imageView())
        + AsyncHTTPClientCatalog.all + NIOCatalog.all
        + CurlCatalog.all + RawCatalog.all
}
