// SPDX-License-Identifier: Apache-2.0
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

// Every function here is in C because curl_easy_setopt and curl_easy_getinfo are variadic, and Swift cannot call what
// is. Where libcurl refuses an option, its code is returned.

/// Sets an option that is a number or a switch.
CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value);

/// Sets an option that is a text, which libcurl copies.
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value);

/// Sets the header fields of requests, which libcurl does not copy: they have to live as long as the transfer.
CURLcode ccurl_set_fields(CURL *handle, struct curl_slist *fields);

/// Sets the body that is sent, which libcurl does not copy, and makes a POST of the request.
CURLcode ccurl_set_body(CURL *handle, const void *bytes, size_t count);

/// Sets what takes the body, piece by piece, and what it is called with.
CURLcode ccurl_set_writer(CURL *handle, curl_write_callback writer, void *context);

/// Sets what is asked again and again, every second at least, whether the transfer goes on: until it says anything but 0.
CURLcode ccurl_set_watcher(CURL *handle, curl_xferinfo_callback watcher, void *context);

/// Allows http and https and nothing else, to begin with and after a redirect.
/// The option that is a text came with 7.85, and replaces one that is deprecated since: the preprocessor has to choose.
CURLcode ccurl_allow_http_only(CURL *handle);

/// The status of the last answer, or 0 where there was none.
long ccurl_status(CURL *handle);

/// Where the last answer leads that was not followed, until the next transfer; NULL where it leads nowhere.
const char *ccurl_redirect(CURL *handle);

/// The value of a header field of the last answer, until the next transfer; NULL where it has none, and with every
/// libcurl before 7.84, which tells none. In C because that is the preprocessor's to say.
const char *ccurl_field(CURL *handle, const char *name);

/// The errno of the last connection that could not be made, or 0.
long ccurl_connect_errno(CURL *handle);

#endif
