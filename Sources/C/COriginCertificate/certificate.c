// SPDX-License-Identifier: Apache-2.0
#include "COriginCertificate.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The value of an extension, in the syntax of openssl-x509v3_config(5).
typedef struct {
    int kind;
    const char *text;
} extension;

// The authority can sign certificates of servers and nothing else.
static const extension authority_extensions[] = {
    {NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
    {NID_key_usage, "critical,keyCertSign,cRLSign"},
    {NID_subject_key_identifier, "hash"},
    {0, NULL},
};

static const extension leaf_extensions[] = {
    {NID_basic_constraints, "critical,CA:FALSE"},
    {NID_key_usage, "critical,digitalSignature"},
    {NID_ext_key_usage, "serverAuth"},
    {NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1"},
    {NID_subject_key_identifier, "hash"},
    {NID_authority_key_identifier, "keyid:always"},
    {0, NULL},
};

/// Sets a unique certificate number: 16 random bytes, the first of which keeps it positive.
static bool set_number(X509 *certificate, char *digits) {
    unsigned char bytes[16];
    if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
    bytes[0] = (bytes[0] & 0x7f) | 0x40;
    BIGNUM *number = BN_bin2bn(bytes, sizeof bytes, NULL);
    bool done = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
    for (int index = 0; done && index < 4; index++) sprintf(digits + 2 * index, "%02x", bytes[12 + index]);
    return done;
}

static bool set_name(X509_NAME *name, const char *common) {
    const unsigned char *organization = (const unsigned char *)"fetchbench";
    return X509_NAME_add_entry_by_NID(name, NID_organizationName, MBSTRING_ASC, organization, -1, -1, 0)
        && X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_ASC, (const unsigned char *)common, -1, -1, 0);
}

static bool add(X509 *certificate, X509 *issuer, const extension *extensions) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    for (; extensions->text; extensions++) {
        X509_EXTENSION *made = X509V3_EXT_conf_nid(NULL, &context, extensions->kind, extensions->text);
        bool added = made && X509_add_ext(certificate, made, -1);
        X509_EXTENSION_free(made);
        if (!added) return false;
    }
    return true;
}

/// Makes a certificate signed by an issuer, or if that is NULL, a self-signed one with a unique name.
static X509 *make(EVP_PKEY *key, X509 *issuer, EVP_PKEY *signer, int days, const extension *extensions) {
    X509 *made = X509_new();
    // Unique names, so that no client mistakes one authority for another.
    char digits[9] = "", name[64] = "localhost";
    bool done = made && X509_set_version(made, 2) && set_number(made, digits);
    if (!issuer) snprintf(name, sizeof name, "fetchbench authority %s", digits);
    done = done && X509_gmtime_adj(X509_getm_notBefore(made), -3600)
        && X509_gmtime_adj(X509_getm_notAfter(made), -3600 + days * 86400L) && X509_set_pubkey(made, key)
        && set_name(X509_get_subject_name(made), name)
        && X509_set_issuer_name(made, X509_get_subject_name(issuer ? issuer : made))
        && add(made, issuer ? issuer : made, extensions) && X509_sign(made, signer, EVP_sha256());
    if (done) return made;
    X509_free(made);
    return NULL;
}

/// Returns a certificate or a private key as PEM, or NULL.
static char *text(X509 *certificate, EVP_PKEY *key) {
    BIO *memory = BIO_new(BIO_s_mem());
    if (!memory) return NULL;
    int done = certificate ? PEM_write_bio_X509(memory, certificate)
                           : PEM_write_bio_PrivateKey(memory, key, NULL, NULL, 0, NULL, NULL);
    char *bytes = NULL, *copy = NULL;
    long count = BIO_get_mem_data(memory, &bytes);
    if (done && count > 0) copy = strndup(bytes, (size_t)count);
    BIO_free(memory);
    return copy;
}

bool corigin_certificate_make(int days, corigin_certificate *identity) {
    *identity = (corigin_certificate){NULL, NULL, NULL};
    EVP_PKEY *signer = EVP_EC_gen("P-256"), *key = EVP_EC_gen("P-256");
    X509 *authority = signer ? make(signer, NULL, signer, days, authority_extensions) : NULL;
    X509 *leaf = authority && key ? make(key, authority, signer, days, leaf_extensions) : NULL;
    if (leaf) *identity = (corigin_certificate){text(authority, NULL), text(leaf, NULL), text(NULL, key)};
    X509_free(leaf);
    X509_free(authority);
    EVP_PKEY_free(key);
    EVP_PKEY_free(signer);
    if (identity->authority && identity->certificate && identity->key) return true;
    corigin_certificate_release(identity);
    return false;
}

void corigin_certificate_release(corigin_certificate *identity) {
    if (identity->key) OPENSSL_cleanse(identity->key, strlen(identity->key));
    free(identity->authority);
    free(identity->certificate);
    free(identity->key);
    *identity = (corigin_certificate){NULL, NULL, NULL};
}

void corigin_certificate_reason(char *text, unsigned long count) { ERR_error_string_n(ERR_peek_last_error(), text, count); }
