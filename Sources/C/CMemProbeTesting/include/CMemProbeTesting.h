// SPDX-License-Identifier: Apache-2.0

#ifndef CMEMPROBETESTING_H
#define CMEMPROBETESTING_H

// Nothing is called: start.c runs before the test run does.

#endif
