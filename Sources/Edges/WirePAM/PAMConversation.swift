import CPAM
import Glibc

/// Answers PAM's questions: hidden input gets the password, other questions fail.
final class PAMConversation {
    private var password: [UInt8]

    /// The longest answer, without the final NUL.
    static let limit = Int(PAM_MAX_RESP_SIZE) - 1
    /// More questions than any stack of modules has.
    private static let mostQuestions: Int32 = 16
    private var asked: Int32 = 0

    /// Nil for an invalid password: empty, too long, or with a NUL.
    init?(_ password: [UInt8]) {
        guard !password.isEmpty, password.count <= Self.limit, !password.contains(0) else { return nil }
        self.password = password + [0]
    }

    deinit {
        unsafe password.withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { unsafe explicit_bzero(start, bytes.count) }
        }
    }

    /// The callback for PAM, valid while this object exists.
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
        // Allocated by calloc, since the modules free the array and its answers.
        let room = unsafe calloc(Int(count), MemoryLayout<pam_response>.stride)
        guard let answers = unsafe room?.assumingMemoryBound(to: pam_response.self) else { return PAM_BUF_ERR }
        for index in 0..<Int(count) {
            guard let style = unsafe messages[index]?.pointee.msg_style else {
                unsafe release(answers, index)
                return PAM_CONV_ERR
            }
            switch style {
            // Messages are ignored, since they may contain anything.
            case PAM_TEXT_INFO, PAM_ERROR_MSG: break
            case PAM_PROMPT_ECHO_OFF:
                guard let copy = unsafe copy() else {
                    unsafe release(answers, index)
                    return PAM_BUF_ERR
                }
                unsafe answers[index].resp = unsafe copy
            // A name, a choice, another factor: there is no user to ask.
            default:
                unsafe release(answers, index)
                return PAM_CONV_ERR
            }
        }
        unsafe responses.pointee = unsafe answers
        return PAM_SUCCESS
    }

    private func copy() -> UnsafeMutablePointer<CChar>? {
        // Terminated by NUL, and without another one.
        unsafe password.withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                unsafe text.baseAddress.flatMap { unsafe strdup($0) }
            }
        }
    }

    /// Frees answers that are not returned.
    private func release(_ answers: UnsafeMutablePointer<pam_response>, _ count: Int) {
        for index in 0..<count {
            guard let answer = unsafe answers[index].resp else { continue }
            unsafe explicit_bzero(answer, password.count)
            unsafe free(answer)
        }
        unsafe free(answers)
    }
}
