// SPDX-License-Identifier: Apache-2.0
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

// All of this is in C because curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call. If libcurl
// refuses an option, its code is returned.

/// Sets a numeric option or a switch.
CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value);

/// Sets a text option, which libcurl copies.
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value);

/// Sets the header fields of requests, which libcurl does not copy: they have to outlive the transfer.
CURLcode ccurl_set_fields(CURL *handle, struct curl_slist *fields);

/// Sets the body to send, which libcurl does not copy, and makes the request a POST.
CURLcode ccurl_set_body(CURL *handle, const void *bytes, size_t count);

/// Sets the callback for the pieces of the body, and its context.
CURLcode ccurl_set_writer(CURL *handle, curl_write_callback writer, void *context);

/// Sets the callback for the lines of heads, and its context.
CURLcode ccurl_set_head_reader(CURL *handle, curl_write_callback reader, void *context);

/// Sets a callback that is called at least every second, and ends the transfer by returning anything but 0.
CURLcode ccurl_set_watcher(CURL *handle, curl_xferinfo_callback watcher, void *context);

/// Allows only http and https, also after redirects.
/// The text option came with 7.85 and deprecated the older one, so the preprocessor has to choose.
CURLcode ccurl_allow_http_only(CURL *handle);

/// The status of the last response, or 0 if there was none.
long ccurl_status(CURL *handle);

/// The target of the last response's redirect, which was not followed, until the next transfer; NULL if there is none.
const char *ccurl_redirect(CURL *handle);

/// The value of a header field of the last response, until the next transfer; NULL if it is missing, and always before
/// libcurl 7.84, which does not report fields. In C because the preprocessor has to choose.
const char *ccurl_field(CURL *handle, const char *name);

/// The number of connections that the last transfer had to open.
long ccurl_connection_count(CURL *handle);

/// The errno of the last failed connection, or 0.
long ccurl_connect_errno(CURL *handle);

#endif
