/// A key of AES-GCM, of 16 or 32 bytes.
protocol GCMKey {
    static var size: Int { get }
    /// Provides the key for the duration of a call.
    @unsafe func withBytes<Result>(_ body: (UnsafePointer<UInt8>?) -> Result) -> Result
}

extension SealingKey: GCMKey {}

/// The key of one message: 16 bytes, wiped on release.
final class MessageKey: GCMKey {
    static let size = 16

    private var bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.size, "the size of a key")
        self.bytes = bytes
    }

    deinit { bytes.wipe() }

    @unsafe func withBytes<Result>(_ body: (UnsafePointer<UInt8>?) -> Result) -> Result {
        unsafe bytes.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}
