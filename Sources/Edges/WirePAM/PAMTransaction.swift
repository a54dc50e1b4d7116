import CPAM
import WireBase

/// One conversation with PAM about one account; whoever holds it waits in C.
@safe struct PAMTransaction: ~Copyable {
    private let handle: OpaquePointer
    private let conversation: PAMConversation
    /// What came of the last step, which modules are told at the end.
    private var status = PAM_SUCCESS

    /// With a folder, services are looked for there alone.
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
            throw PAMFailure(code: status, text: "the PAM service \(service.name.quoted) does not begin")
        }
        unsafe self.handle = unsafe handle
        self.conversation = conversation
    }

    deinit { _ = unsafe pam_end(handle, status) }

    /// Whether the password is the account's; an account without one has none that is right.
    mutating func authenticate() throws(PAMFailure) {
        try settle(unsafe pam_authenticate(handle, Self.flags))
    }

    /// Whether the account may be used now.
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

/// What PAM says that is no yes.
struct PAMFailure: Error {
    let code: Int32
    let text: String

    /// Whether it says that the password is wrong, rather than that nobody can tell.
    ///
    /// Only what a machine in disorder answers is no verdict; everything that is not known is one.
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
