import COpenSSL

/// One operation of AES-GCM (NIST SP 800-38D).
@safe struct GCM: ~Copyable {
    static let nonceSize = 12
    static let tagSize = 16

    private let context: OpaquePointer

    init?() {
        guard let made = unsafe EVP_CIPHER_CTX_new() else { return nil }
        unsafe context = made
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Returns the encrypted text followed by its tag; nil where OpenSSL fails.
    consuming func seal(_ text: [UInt8], with key: some GCMKey, nonce: [UInt8], binding: [UInt8]) -> [UInt8]? {
        guard begin(1, key, nonce, binding) else { return nil }
        var sealed = [UInt8](repeating: 0, count: text.count + Self.tagSize)
        let isDone = unsafe sealed.withUnsafeMutableBufferPointer { target in
            guard unsafe update(target.baseAddress, text[...]) else { return false }
            var left: Int32 = 0
            guard let end = unsafe target.baseAddress?.advanced(by: text.count) else { return false }
            guard unsafe EVP_EncryptFinal_ex(context, end, &left) == 1, left == 0 else { return false }
            return unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), end) == 1
        }
        return isDone ? sealed : nil
    }

    /// Returns the plain text; nil where the sealed bytes are not authentic.
    consuming func open(_ sealed: ArraySlice<UInt8>, with key: some GCMKey, nonce: [UInt8], binding: [UInt8])
        -> [UInt8]?
    {
        guard sealed.count >= Self.tagSize, begin(0, key, nonce, binding) else { return nil }
        var tag = Array(sealed.suffix(Self.tagSize))
        // OpenSSL requires an address even for an empty text.
        let count = sealed.count - Self.tagSize
        var text = [UInt8](repeating: 0, count: max(1, count))
        let isGenuine = unsafe text.withUnsafeMutableBufferPointer { target in
            guard unsafe update(target.baseAddress, sealed.dropLast(Self.tagSize)) else { return false }
            guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), &tag) == 1 else {
                return false
            }
            var left: Int32 = 0
            return unsafe EVP_DecryptFinal_ex(context, target.baseAddress?.advanced(by: count), &left) == 1 && left == 0
        }
        guard isGenuine else {
            // Unauthenticated bytes are wiped.
            text.wipe()
            return nil
        }
        text.removeLast(text.count - count)
        return text
    }

    private borrowing func begin<Key: GCMKey>(
        _ encrypts: Int32,
        _ key: Key,
        _ nonce: [UInt8],
        _ binding: [UInt8]
    ) -> Bool {
        let cipher = unsafe Key.size == MessageKey.size ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
        let isReady = unsafe key.withBytes { key in
            unsafe EVP_CipherInit_ex(context, cipher, nil, key, nonce, encrypts) == 1
        }
        var count: Int32 = 0
        guard isReady else { return false }
        return unsafe EVP_CipherUpdate(context, nil, &count, binding, Int32(binding.count)) == 1
    }

    private borrowing func update(_ target: UnsafeMutablePointer<UInt8>?, _ source: ArraySlice<UInt8>) -> Bool {
        var count: Int32 = 0
        return unsafe source.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress, source.count > 0 else { return true }
            guard source.count <= Int(Int32.max) else { return false }
            return unsafe EVP_CipherUpdate(context, target, &count, start, Int32(source.count)) == 1
                && Int(count) == source.count
        }
    }
}
