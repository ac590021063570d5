// SPDX-License-Identifier: Apache-2.0
#include "ccurl.h"

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_fields(CURL *handle, struct curl_slist *fields) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, fields);
}

CURLcode ccurl_set_body(CURL *handle, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_POSTFIELDS, bytes ? bytes : "") : code;
}

CURLcode ccurl_set_writer(CURL *handle, curl_write_callback writer, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, writer);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) : code;
}

CURLcode ccurl_set_head_reader(CURL *handle, curl_write_callback reader, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, reader);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_HEADERDATA, context) : code;
}

CURLcode ccurl_set_watcher(CURL *handle, curl_xferinfo_callback watcher, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, watcher);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L) : code;
}

CURLcode ccurl_allow_http_only(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https") : code;
#else
    long protocols = CURLPROTO_HTTP | CURLPROTO_HTTPS;
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PROTOCOLS, protocols);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS, protocols) : code;
#endif
}

static long number(CURL *handle, CURLINFO what) {
    long value = 0;
    return curl_easy_getinfo(handle, what, &value) == CURLE_OK ? value : 0;
}

long ccurl_status(CURL *handle) { return number(handle, CURLINFO_RESPONSE_CODE); }

const char *ccurl_redirect(CURL *handle) {
    char *url = NULL;
    return curl_easy_getinfo(handle, CURLINFO_REDIRECT_URL, &url) == CURLE_OK ? url : NULL;
}

const char *ccurl_field(CURL *handle, const char *name) {
#if LIBCURL_VERSION_NUM >= 0x075400
    struct curl_header *field = NULL;
    return curl_easy_header(handle, name, 0, CURLH_HEADER, -1, &field) == CURLHE_OK ? field->value : NULL;
#else
    (void)handle, (void)name;
    return NULL;
#endif
}

long ccurl_connection_count(CURL *handle) { return number(handle, CURLINFO_NUM_CONNECTS); }

long ccurl_connect_errno(CURL *handle) { return number(handle, CURLINFO_OS_ERRNO); }
