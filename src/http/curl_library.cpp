#include "http/curl_library.h"

#include <dlfcn.h>

#include <memory>
#include <mutex>

namespace bashcell::http {

namespace {

base::Error missing(const std::string& what) {
  return {"cannot use libcurl, which talking to Docker or Podman needs (Debian: apt install libcurl4): " + what};
}

}  // namespace

base::Result<CurlLibrary> open_curl_library(const std::string& file) {
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = ::dlerror();
    return missing(why != nullptr ? why : file + " does not load");
  }
  std::string absent;
  const auto find = [&](const char* name, auto& function) {
    void* const symbol = ::dlsym(handle, name);
    if (symbol == nullptr) absent = name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  CurlLibrary library;
  find("curl_global_init", library.global_init);
  find("curl_easy_init", library.easy_init);
  find("curl_easy_cleanup", library.easy_cleanup);
  find("curl_easy_reset", library.easy_reset);
  find("curl_easy_setopt", library.easy_setopt);
  find("curl_easy_getinfo", library.easy_getinfo);
  find("curl_easy_perform", library.easy_perform);
  find("curl_easy_send", library.easy_send);
  find("curl_easy_recv", library.easy_recv);
  find("curl_easy_strerror", library.easy_strerror);
  find("curl_multi_init", library.multi_init);
  find("curl_multi_cleanup", library.multi_cleanup);
  find("curl_multi_add_handle", library.multi_add_handle);
  find("curl_multi_remove_handle", library.multi_remove_handle);
  find("curl_multi_perform", library.multi_perform);
  find("curl_multi_poll", library.multi_poll);
  find("curl_multi_info_read", library.multi_info_read);
  find("curl_slist_append", library.slist_append);
  find("curl_slist_free_all", library.slist_free_all);
  if (!absent.empty()) {
    ::dlclose(handle);
    return missing(file + " has no " + absent + " (7.66 or later is needed)");
  }
  return library;
}

base::Result<const CurlLibrary*> curl_library() {
  // The one thing here that lives as long as the process, as the loaded library does.
  struct Loaded {
    std::mutex mutex;
    std::unique_ptr<const CurlLibrary> library;
  };
  static Loaded loaded;
  const std::lock_guard lock(loaded.mutex);
  if (!loaded.library) {
    base::Result<CurlLibrary> opened = open_curl_library("libcurl.so.4");
    if (!opened) return opened.error();
    if (opened->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return missing("it does not initialise");
    loaded.library = std::make_unique<const CurlLibrary>(*opened);
  }
  return loaded.library.get();
}

}  // namespace bashcell::http
