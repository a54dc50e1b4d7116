import COpenSSL
import Glibc
package import WireBase
import WireSecrets

/// The properties of an X.509 certificate that are read before it is trusted.
package struct Certificate: Sendable {
    /// The start of validity, in seconds since 1970.
    package let validFrom: Int64
    /// The last valid second, since 1970.
    package let validUntil: Int64
    /// The SHA-256 of the public key (SPKI) in base64, the form of pins.
    package let pin: String

    /// Reads the first certificate of a PEM text.
    package init(pem: String) throws(Fault) {
        guard let bytes = PEM.bytes(of: "CERTIFICATE", in: pem), let handle = Handle(bytes) else {
            throw Fault("the certificate cannot be read")
        }
        OpenSSLErrors.clear()
        guard let from = unsafe handle.moment(X509_get0_notBefore(handle.raw)),
            let until = unsafe handle.moment(X509_get0_notAfter(handle.raw)), let key = handle.publicKey
        else { throw Fault(OpenSSLErrors.message("the certificate cannot be read")) }
        (validFrom, validUntil) = (from, until)
        pin = Base64.text(of: try OpenSSLSecrecy().digest(key).bytes)
    }

    /// OpenSSL's certificate.
    @safe private struct Handle: ~Copyable {
        let raw: OpaquePointer

        init?(_ bytes: [UInt8]) {
            let parsed = unsafe bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
                var start = buffer.baseAddress
                return unsafe d2i_X509(nil, &start, buffer.count)
            }
            guard let parsed = unsafe parsed else {
                OpenSSLErrors.clear()
                return nil
            }
            unsafe raw = parsed
        }

        deinit {
            unsafe X509_free(raw)
        }

        borrowing func moment(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
            var parts = unsafe tm()
            guard let time = unsafe time, unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
            return Int64(unsafe timegm(&parts))
        }

        /// The public key with its algorithm, in DER.
        var publicKey: [UInt8]? {
            let key = unsafe X509_get_X509_PUBKEY(raw)
            let size = unsafe i2d_X509_PUBKEY(key, nil)
            guard size > 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: Int(size))
            let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                var start = buffer.baseAddress
                return unsafe i2d_X509_PUBKEY(key, &start)
            }
            return written == size ? bytes : nil
        }
    }
}
