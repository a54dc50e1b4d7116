#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

/* These are expressions, which Swift does not see. */
static const int evp_pkey_public_key = EVP_PKEY_PUBLIC_KEY;
static const int evp_pkey_keypair = EVP_PKEY_KEYPAIR;
