import COpenSSL
import Glibc
package import WireBase
import WireSecrets
package import WireStore

/// A key for sealing: 32 bytes in locked memory, wiped on release.
@safe package final class SealingKey: Sendable {
    package static let size = 32

    /// Identifies the key without revealing it.
    package let id: [UInt8]
    // Written in init only, so that any thread may read it.
    private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

    /// Takes ownership of a key.
    package init(_ key: Secret<[UInt8]>) throws(StoreFailure) {
        var given = key.reveal()
        defer { given.wipe() }
        guard given.count == Self.size else {
            throw StoreFailure(.refused, "expected a sealing key of \(Self.size) bytes, found \(given.count)")
        }
        var named = Array("corewire sealing key 1".utf8) + given
        defer { named.wipe() }
        id = try StoreFailure.rethrowing(Array(try OpenSSLSecrecy().digest(named).bytes.prefix(8)))
        unsafe bytes = .allocate(byteCount: Self.size, alignment: 16)
        // May fail at the process's limit of locked memory; the key works without.
        _ = unsafe mlock(bytes.baseAddress, Self.size)
        unsafe bytes.copyBytes(from: given)
    }

    deinit {
        unsafe OPENSSL_cleanse(bytes.baseAddress, Self.size)
        _ = unsafe munlock(bytes.baseAddress, Self.size)
        unsafe bytes.deallocate()
    }

    /// Provides the key for the duration of a call.
    @unsafe func withBytes<Result>(_ body: (UnsafePointer<UInt8>?) -> Result) -> Result {
        unsafe body(UnsafePointer(bytes.bindMemory(to: UInt8.self).baseAddress))
    }
}

extension [UInt8] {
    /// Overwrites secret bytes; values that share the memory keep a copy of their own.
    mutating func wipe() {
        unsafe withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
