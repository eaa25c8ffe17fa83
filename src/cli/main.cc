// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

int main(int argc, char** argv) { return loadable::cli::run_program(argc, argv); }
