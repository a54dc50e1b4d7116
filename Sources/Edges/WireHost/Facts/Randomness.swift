import Glibc

/// Random bytes from the kernel.
package enum Randomness {
    package static func bytes(_ count: Int) throws(HostError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // The kernel returns at most this many at a time.
        for start in stride(from: 0, to: count, by: 256) {
            let status = unsafe bytes[start..<min(start + 256, count)].withUnsafeMutableBytes {
                unsafe getentropy($0.baseAddress, $0.count)
            }
            guard status == 0 else { throw HostError.system(.randomness, "getentropy") }
        }
        return bytes
    }
}
