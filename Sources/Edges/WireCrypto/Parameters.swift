import COpenSSL

/// Named parameters for OpenSSL, wiped afterwards.
@safe struct Parameters: ~Copyable {
    private var list: [OSSL_PARAM]
    /// The memory that the list refers to.
    private var owned: [UnsafeMutableRawBufferPointer]

    init() {
        unsafe (list, owned) = ([], [])
    }

    deinit {
        unsafe owned.withUnsafeBufferPointer { owned in
            for index in owned.indices {
                unsafe OPENSSL_cleanse(owned[index].baseAddress, owned[index].count)
                unsafe owned[index].deallocate()
            }
        }
    }

    mutating func add(_ name: String, text: String) {
        // The terminating NUL must be there and is not counted.
        unsafe add(name, Array(text.utf8) + [0]) { name, value in
            unsafe OSSL_PARAM_construct_utf8_string(name, value.bindMemory(to: CChar.self).baseAddress, value.count - 1)
        }
    }

    mutating func add(_ name: String, bytes: [UInt8]) {
        unsafe add(name, bytes) { name, value in
            unsafe OSSL_PARAM_construct_octet_string(name, value.baseAddress, value.count)
        }
    }

    /// Adds a big-endian number.
    mutating func add(_ name: String, number: [UInt8]) {
        #if _endian(little)
        let native = Array(number.reversed())
        #else
        let native = number
        #endif
        unsafe add(name, native) { name, value in
            unsafe OSSL_PARAM_construct_BN(name, value.bindMemory(to: UInt8.self).baseAddress, value.count)
        }
    }

    mutating func add(_ name: String, number: UInt64) {
        unsafe add(name, withUnsafeBytes(of: number) { unsafe Array($0) }) { name, value in
            unsafe OSSL_PARAM_construct_uint64(name, value.bindMemory(to: UInt64.self).baseAddress)
        }
    }

    private mutating func add(
        _ name: String,
        _ value: [UInt8],
        _ make: (UnsafePointer<CChar>?, UnsafeMutableRawBufferPointer) -> OSSL_PARAM
    ) {
        let name = unsafe keep(Array(name.utf8) + [0])
        let value = unsafe keep(value)
        unsafe list.append(make(UnsafePointer(name.bindMemory(to: CChar.self).baseAddress), value))
    }

    private mutating func keep(_ bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
        // OpenSSL requires an address even for an empty value.
        let place = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
        unsafe place.copyBytes(from: bytes)
        unsafe owned.append(place)
        return unsafe UnsafeMutableRawBufferPointer(rebasing: place[..<bytes.count])
    }

    /// Provides the terminated list.
    borrowing func withList<Result>(_ body: (UnsafeMutablePointer<OSSL_PARAM>?) -> Result) -> Result {
        var list = unsafe list + [OSSL_PARAM_construct_end()]
        return unsafe list.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress) }
    }
}
