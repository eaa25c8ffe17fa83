// SPDX-License-Identifier: Apache-2.0
#include "inventory/row_paths.h"

#include <algorithm>

#include "python/conda_meta.h"
#include "python/dpkg.h"

namespace loadable::inventory {
namespace {

using tree::Path;
using tree::Walk;

bool needs_normal_form(std::string_view path) {
  return path.starts_with('.') || path.find("/.") != std::string_view::npos ||
         path.find("//") != std::string_view::npos || path.ends_with('/');
}

std::string with_slash(std::string text) {
  if (!text.ends_with('/')) text += '/';
  return text;
}

// Takes the last component off; empty when there is none.
std::string_view take_last(std::string_view* path) {
  const std::size_t slash = path->rfind('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view last = path->substr(slash + 1);
  path->remove_suffix(path->size() - slash);
  return last;
}

/// Gives the rows of one list their places; directories are resolved once.
class Placer {
 public:
  Placer(Walk& walk, const Inventory& inventory, std::uint32_t distribution)
      : walk_(walk), paths_(inventory, distribution) {}

  // False: not to be looked at.
  bool place(std::string_view row, ListedFile* file) {
    if (paths_.passes_over(row) || !paths_.place(row, &path_)) return false;
    const std::size_t slash = path_.rfind('/');
    const std::string_view directory = std::string_view(path_).substr(0, slash);
    if (directory != last_) {
      last_ = directory;
      const auto& found = walk_.resolve(directory.empty() ? "/" : directory);
      physical_ = found ? found->physical.text() : last_;
    }
    if (physical_ != last_) path_ = with_slash(physical_) + path_.substr(slash + 1);
    file->path = path_;
    return true;
  }

 private:
  Walk& walk_;
  RowPaths paths_;
  std::string path_, last_, physical_;
};

}  // namespace

bool is_compiled(std::string_view path) { return path.ends_with(".pyc"); }

std::string prefix_of_site(std::string_view site) {
  std::string_view rest = site;
  const std::string_view packages = take_last(&rest);
  const std::string_view python = take_last(&rest);
  const std::string_view lib = take_last(&rest);
  const bool has_form = (packages == "site-packages" || packages == "dist-packages") &&
                        (python.starts_with("python") || python.starts_with("pypy")) &&
                        (lib == "lib" || lib == "lib64" || lib == "lib32");
  if (!has_form) return std::string(site);
  return rest.empty() ? "/" : std::string(rest);
}

RowPaths::RowPaths(const Inventory& inventory, std::uint32_t distribution) {
  const Distribution& of = inventory.distributions[distribution];
  const std::string& site = of.site_directory;
  const bool is_egg = of.kind == DistributionKind::EggInfo;
  const bool is_debian = form_of_list(of.list_path) == ListForm::Md5sums;
  // installed-files.txt counts from the egg-info directory itself.
  base_ = is_debian ? "/" : with_slash(is_egg ? of.metadata_path : site);
  if (is_debian) site_ = with_slash(site).substr(1);
  confines_.push_back(with_slash(site));
  const std::string prefix = prefix_of_site(site);
  is_target_folder_ = prefix == site && of.kind == DistributionKind::DistInfo;
  if (prefix != site) confines_.push_back(with_slash(prefix));
  if (!of.environment) return;
  const std::string& whole = inventory.environments[*of.environment].prefix;
  if (!whole.empty() && Path(site).is_within(Path(whole))) confines_.push_back(with_slash(whole));
}

ListForm form_of_list(std::string_view list_path) {
  if (list_path.ends_with(".json")) return ListForm::Conda;
  return list_path.ends_with(".md5sums") ? ListForm::Md5sums : ListForm::Record;
}

bool RowPaths::passes_over(std::string_view row) const {
  return is_compiled(row) || !row.starts_with(site_);
}

bool RowPaths::place(std::string_view row, std::string* path) const {
  if (row.starts_with('/')) {
    path->assign(row);
  } else {
    // pip --target installs into a scheme of its own and moves the files afterwards: RECORD names
    // scripts as if the folder were `lib/python`.
    constexpr std::string_view kMoved = "../../bin/";
    if (is_target_folder_ && row.starts_with(kMoved)) row.remove_prefix(kMoved.size() - 4);
    path->assign(base_);
    path->append(row);
  }
  if (needs_normal_form(row)) *path = Path(*path).lexically_normal().text();
  return std::any_of(confines_.begin(), confines_.end(),
                     [&](const std::string& confine) { return path->starts_with(confine); });
}

void for_each_listed(Walk& walk, const Inventory& inventory, std::uint32_t distribution,
                     const std::function<void(const ListedFile&)>& file) {
  const Distribution& of = inventory.distributions[distribution];
  if (!of.has_list) return;
  Placer placer(walk, inventory, distribution);
  const auto text = walk.read_text(Path(of.list_path), kMaxListBytes);
  if (!text) return;  // read before: the incident is there
  ListedFile listed;
  const ListForm form = form_of_list(of.list_path);
  if (form == ListForm::Md5sums) {
    python::for_each_dpkg_md5sum(*text, [&](std::string_view row, std::string_view md5) {
      if (!placer.place(row, &listed)) return;
      listed.hash = md5;
      file(listed);
    });
    return;
  }
  if (form == ListForm::Conda) {
    const auto package = python::parse_conda_meta(*text);
    if (!package) return;
    for (const python::CondaFile& row : package->files) {
      if (!placer.place(row.path, &listed)) continue;
      listed.hash = row.is_link ? std::string_view{} : std::string_view(row.sha256);
      listed.size = row.size;
      file(listed);
    }
    return;
  }
  python::RecordReader reader(*text);
  python::RecordRow row;
  for (std::size_t rows = 0; rows < kMaxListRows && reader.next(&row); ++rows) {
    if (!placer.place(row.path, &listed)) continue;
    listed.hash = row.hash;
    listed.size = row.size;
    file(listed);
  }
}

}  // namespace loadable::inventory
