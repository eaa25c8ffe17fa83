// SPDX-License-Identifier: Apache-2.0
// An empty library: its DT_NEEDED entry in the driver is overwritten by the tests.
int placeholder_unused;
