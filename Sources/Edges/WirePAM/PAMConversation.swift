import CPAM
import Glibc

/// Answers what PAM asks: whatever is to be typed unseen gets the password, and nothing else is answered.
final class PAMConversation {
    private var password: [UInt8]

    /// How much PAM takes for an answer, without the byte that ends it.
    static let limit = Int(PAM_MAX_RESP_SIZE) - 1
    /// More questions than any stack of modules has.
    private static let mostQuestions: Int32 = 16
    private var asked: Int32 = 0

    /// Nil for what cannot be a password: nothing, too much, or something with a null in it.
    init?(_ password: [UInt8]) {
        guard !password.isEmpty, password.count <= Self.limit, !password.contains(0) else { return nil }
        self.password = password + [0]
    }

    deinit {
        unsafe password.withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { unsafe explicit_bzero(start, bytes.count) }
        }
    }

    /// How PAM calls it; it must outlive the transaction it is given to.
    var callback: pam_conv {
        unsafe pam_conv(
            conv: { count, messages, responses, context in
                guard let context = unsafe context else { return PAM_CONV_ERR }
                let conversation = unsafe Unmanaged<PAMConversation>.fromOpaque(context).takeUnretainedValue()
                return unsafe conversation.answer(count, messages, responses)
            },
            appdata_ptr: Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private func answer(
        _ count: Int32,
        _ messages: UnsafeMutablePointer<UnsafePointer<pam_message>?>?,
        _ responses: UnsafeMutablePointer<UnsafeMutablePointer<pam_response>?>?
    ) -> Int32 {
        guard let messages = unsafe messages, let responses = unsafe responses, (1...PAM_MAX_NUM_MSG).contains(count),
            asked < Self.mostQuestions
        else { return PAM_CONV_ERR }
        asked += count
        // The modules free it, and each answer in it, by C's own means.
        let room = unsafe calloc(Int(count), MemoryLayout<pam_response>.stride)
        guard let answers = unsafe room?.assumingMemoryBound(to: pam_response.self) else { return PAM_BUF_ERR }
        for index in 0..<Int(count) {
            guard let style = unsafe messages[index]?.pointee.msg_style else {
                unsafe release(answers, index)
                return PAM_CONV_ERR
            }
            switch style {
            // Nobody reads what is told: it may hold whatever a module thinks of.
            case PAM_TEXT_INFO, PAM_ERROR_MSG: break
            case PAM_PROMPT_ECHO_OFF:
                guard let copy = unsafe copy() else {
                    unsafe release(answers, index)
                    return PAM_BUF_ERR
                }
                unsafe answers[index].resp = unsafe copy
            // A name, a choice, another factor: nobody is there to be asked.
            default:
                unsafe release(answers, index)
                return PAM_CONV_ERR
            }
        }
        unsafe responses.pointee = unsafe answers
        return PAM_SUCCESS
    }

    private func copy() -> UnsafeMutablePointer<CChar>? {
        // Ends with a null, and has none before.
        unsafe password.withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                unsafe text.baseAddress.flatMap { unsafe strdup($0) }
            }
        }
    }

    /// Takes back answers that will not be given.
    private func release(_ answers: UnsafeMutablePointer<pam_response>, _ count: Int) {
        for index in 0..<count {
            guard let answer = unsafe answers[index].resp else { continue }
            unsafe explicit_bzero(answer, password.count)
            unsafe free(answer)
        }
        unsafe free(answers)
    }
}
