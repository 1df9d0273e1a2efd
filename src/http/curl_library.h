#pragma once
// The functions of libcurl, found at run time: the program is not linked with it. Used inside http/ only.

#include <curl/curl.h>

#include <string>

#include "base/result.h"

namespace bashcell::http {

struct CurlLibrary {
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&::curl_easy_reset) easy_reset = nullptr;
  decltype(&::curl_easy_setopt) easy_setopt = nullptr;
  decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&::curl_easy_perform) easy_perform = nullptr;
  decltype(&::curl_easy_send) easy_send = nullptr;
  decltype(&::curl_easy_recv) easy_recv = nullptr;
  decltype(&::curl_easy_strerror) easy_strerror = nullptr;
  decltype(&::curl_multi_init) multi_init = nullptr;
  decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&::curl_multi_perform) multi_perform = nullptr;
  decltype(&::curl_multi_poll) multi_poll = nullptr;
  decltype(&::curl_multi_info_read) multi_info_read = nullptr;
  decltype(&::curl_slist_append) slist_append = nullptr;
  decltype(&::curl_slist_free_all) slist_free_all = nullptr;
};

// Opens that library and finds the functions. It stays loaded: it cannot be unloaded safely. The error names the Debian
// package. Any thread.
base::Result<CurlLibrary> open_curl_library(const std::string& file);

// libcurl.so.4, loaded and initialised by the first call that succeeds. Valid until the process ends. Any thread.
base::Result<const CurlLibrary*> curl_library();

}  // namespace bashcell::http
