// SPDX-License-Identifier: Apache-2.0

#ifndef CMEMPROBETESTING_H
#define CMEMPROBETESTING_H

// Empty: start.c runs by itself before the test run.

#endif
