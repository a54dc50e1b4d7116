import COpenSSL
import Glibc
package import WireBase
import WireSecrets
package import WireStore

/// A key for sealing: 32 bytes at one place in memory, which is not swapped out and is wiped when nobody needs it.
@safe package final class SealingKey: Sendable {
    package static let size = 32

    /// Tells which key something was sealed with, and nothing about the key.
    let id: [UInt8]
    // Written before init returns and never again, so that it may be read from everywhere.
    private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

    /// Takes a key over.
    package init(_ key: Secret<[UInt8]>) throws(StoreFailure) {
        var given = key.reveal()
        defer { given.wipe() }
        guard given.count == Self.size else {
            throw StoreFailure(.refused, "a key for sealing has \(Self.size) bytes, this one has \(given.count)")
        }
        var named = Array("corewire sealing key 1".utf8) + given
        defer { named.wipe() }
        id = try StoreFailure.rethrowing(Array(try OpenSSLSecrecy().digest(named).bytes.prefix(8)))
        unsafe bytes = .allocate(byteCount: Self.size, alignment: 16)
        // May be refused where a process may lock little; the key is as good without.
        _ = unsafe mlock(bytes.baseAddress, Self.size)
        unsafe bytes.copyBytes(from: given)
    }

    deinit {
        unsafe OPENSSL_cleanse(bytes.baseAddress, Self.size)
        _ = unsafe munlock(bytes.baseAddress, Self.size)
        unsafe bytes.deallocate()
    }

    /// Lends the key to who uses it meanwhile.
    @unsafe func withBytes<Result>(_ body: (UnsafePointer<UInt8>?) -> Result) -> Result {
        unsafe body(UnsafePointer(bytes.bindMemory(to: UInt8.self).baseAddress))
    }
}

extension [UInt8] {
    /// Overwrites bytes that were secret; what shares their memory keeps a copy of its own.
    mutating func wipe() {
        unsafe withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
