import CPAM
import WireBase

/// A PAM transaction for one account; its calls block.
@safe struct PAMTransaction: ~Copyable {
    private let handle: OpaquePointer
    private let conversation: PAMConversation
    /// The result of the last step, passed to the modules at the end.
    private var status = PAM_SUCCESS

    /// Starts a transaction; with a folder, services are looked up only there.
    init(_ service: PAMService, user: String, folder: String?, _ conversation: PAMConversation) throws(PAMFailure) {
        var callback = unsafe conversation.callback
        var handle: OpaquePointer?
        let status =
            if let folder {
                unsafe pam_start_confdir(service.name, user, &callback, folder, &handle)
            } else {
                unsafe pam_start(service.name, user, &callback, &handle)
            }
        guard status == PAM_SUCCESS, let handle = unsafe handle else {
            throw PAMFailure(code: status, text: "the PAM service \(service.name.quoted) cannot be started")
        }
        unsafe self.handle = unsafe handle
        self.conversation = conversation
    }

    deinit { _ = unsafe pam_end(handle, status) }

    /// Verifies the password; an account without one rejects all.
    mutating func authenticate() throws(PAMFailure) {
        try settle(unsafe pam_authenticate(handle, Self.flags))
    }

    /// Checks that the account may be used now.
    mutating func checkAccount() throws(PAMFailure) {
        try settle(unsafe pam_acct_mgmt(handle, Self.flags))
    }

    private static let flags = Int32(PAM_SILENT | PAM_DISALLOW_NULL_AUTHTOK)

    private mutating func settle(_ code: Int32) throws(PAMFailure) {
        status = code
        guard code != PAM_SUCCESS else { return }
        let text = unsafe pam_strerror(handle, code).map { unsafe String(cString: $0) } ?? "code \(code)"
        throw PAMFailure(code: code, text: text)
    }
}

/// A negative result of PAM.
struct PAMFailure: Error {
    let code: Int32
    let text: String

    /// Whether the result rejects the password, as opposed to a failure of PAM.
    ///
    /// Known system errors are failures; all other codes reject the password.
    var isVerdict: Bool {
        switch code {
        case PAM_OPEN_ERR, PAM_SYMBOL_ERR, PAM_SERVICE_ERR, PAM_SYSTEM_ERR, PAM_BUF_ERR, PAM_AUTHINFO_UNAVAIL,
            PAM_ABORT,
            PAM_MODULE_UNKNOWN, PAM_CONV_ERR, PAM_CRED_UNAVAIL:
            false
        default: true
        }
    }
}
