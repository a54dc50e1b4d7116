import CCurl
import WireHTTP

/// libcurl's handle of one transfer, with the strings it borrows.
@safe struct Easy: ~Copyable {
    let raw: UnsafeMutableRawPointer
    private var lists: [UnsafeMutablePointer<curl_slist>?] = unsafe []
    private let message: UnsafeMutablePointer<CChar>

    init() throws(TransferFailure) {
        try Libcurl.load()
        guard let raw = unsafe wire_easy_init() else { throw Self.refusal }
        unsafe self.raw = raw
        unsafe message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        _ = unsafe wire_set_error_buffer(raw, message)
    }

    deinit {
        unsafe wire_easy_cleanup(raw)
        unsafe lists.forEach { unsafe wire_list_free($0) }
        unsafe message.deallocate()
    }

    private static var refusal: TransferFailure {
        TransferFailure(.exhausted, "libcurl could not prepare the request", wasNotSent: true)
    }

    /// The handle as a number, by which ``Multi`` identifies an ended transfer.
    var id: UInt { unsafe UInt(bitPattern: raw) }

    /// libcurl's text for the failure, which may contain the host.
    var words: String { unsafe String(cString: message) }

    // MARK: Options

    func set(_ option: CURLoption, _ value: Int) throws(TransferFailure) {
        try check(unsafe wire_set_long(raw, option, value))
    }

    func set(_ option: CURLoption, bytes value: Int) throws(TransferFailure) {
        try check(unsafe wire_set_offset(raw, option, curl_off_t(value)))
    }

    func set(_ option: CURLoption, _ value: String?) throws(TransferFailure) {
        try check(unsafe wire_set_text(raw, option, value))
    }

    /// Sets a body that is sent with the head.
    func setBody(_ bytes: [UInt8]) throws(TransferFailure) {
        try check(unsafe bytes.withUnsafeBytes { unsafe wire_set_body(raw, $0.baseAddress, $0.count) })
    }

    /// Sets a file that libcurl gets as bytes, which it copies.
    func setBlob(_ option: CURLoption, _ bytes: [UInt8]) throws(TransferFailure) {
        try check(unsafe bytes.withUnsafeBytes { unsafe wire_set_blob(raw, option, $0.baseAddress, $0.count) })
    }

    /// Sets a list of lines in libcurl's form, such as the header fields.
    mutating func setList(_ option: CURLoption, _ lines: [String]) throws(TransferFailure) {
        var list: UnsafeMutablePointer<curl_slist>?
        defer { unsafe lists.append(list) }
        for line in lines {
            guard let longer = unsafe wire_list_append(list, line) else { throw Self.refusal }
            unsafe list = longer
        }
        try check(unsafe wire_set_list(raw, option, list))
    }

    func check(_ code: CURLcode) throws(TransferFailure) {
        guard code == CURLE_OK else { throw Self.refusal }
    }

    // MARK: Results

    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return unsafe wire_get_long(raw, info, &value) == CURLE_OK ? value : 0
    }

    // MARK: Connections

    /// The result of sending or receiving on a connection that libcurl has made.
    enum Exchanged {
        /// The number of bytes; none received is the end.
        case bytes(Int)
        /// Nothing is possible now.
        case blocked
        case failed
    }

    func send(_ bytes: ArraySlice<UInt8>) -> Exchanged {
        var count = 0
        let code = unsafe bytes.withUnsafeBytes { unsafe wire_easy_send(raw, $0.baseAddress, $0.count, &count) }
        return Self.exchanged(code, count)
    }

    func receive(into room: UnsafeMutableRawBufferPointer) -> Exchanged {
        var count = 0
        return Self.exchanged(unsafe wire_easy_recv(raw, room.baseAddress, room.count, &count), count)
    }

    private static func exchanged(_ code: CURLcode, _ count: Int) -> Exchanged {
        switch code {
        case CURLE_OK: .bytes(count)
        case CURLE_AGAIN: .blocked
        default: .failed
        }
    }

    /// Performs the transfer and blocks until it is done.
    borrowing func perform() -> CURLcode { unsafe wire_easy_perform(raw) }

    /// Returns the properties of a certificate of the server's chain, its own first; none past the last.
    func certificateLines(_ index: Int32) -> [String] {
        var lines: [String] = []
        var next = unsafe wire_served_certificate(raw, index)
        while let line = unsafe next {
            if let data = unsafe line.pointee.data { lines.append(unsafe String(cString: data)) }
            unsafe next = line.pointee.next
        }
        return lines
    }

    /// Resumes the directions that are no longer paused.
    ///
    /// A callback's refusal during this call is reported only here: libcurl continues the transfer.
    func pause(receiving: Bool, sending: Bool) -> CURLcode {
        unsafe wire_easy_pause(raw, (receiving ? CURLPAUSE_RECV : 0) | (sending ? CURLPAUSE_SEND : 0))
    }
}
