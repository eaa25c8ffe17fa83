# SPDX-License-Identifier: Apache-2.0
# The dependency table of the source folders: folder, then the folders it may use.
# scripts/check_layers.py reads this file and fails on a forbidden include or a cycle.
set(LOADABLE_LAYERS
  "base:"
  "elf: base"
  "tree: base"
  "archive: base tree"
  "python: base tree"
  "target: base tree archive python"
  "inventory: base tree elf python"
  "loader: base tree elf"
  "accel: base elf python tree inventory loader"
  "check: base elf tree python target inventory loader accel"
  "exam: base elf tree archive python target inventory loader accel check"
  "remedy: base elf tree archive python target inventory loader accel check exam"
  "report: base check loader accel"
  "cli: base elf tree archive python target inventory loader accel check exam remedy report"
  "testing: base tree elf"
)
