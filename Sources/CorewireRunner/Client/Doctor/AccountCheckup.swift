import CorewireCatalogue
import WireBase
import WireHost
import WirePAM

/// Checks whether the account's password can be verified, where the file uses it to unlock sessions.
struct AccountCheckup {
    private(set) var findings: [Finding] = []

    private static let area = "lock"

    init(_ file: FileCheckup) {
        guard let validated = file.validated, RunnerHints.unlocksByAccount(validated) else { return }
        let account = PAMAccount(.host)
        if let obstacle = account.obstacle {
            let help =
                account.service == nil ? "write /etc/pam.d/corewire" : "write /etc/pam.d/corewire, or allow privileges"
            findings.append(.problem(Self.area, "sessions cannot be unlocked: \(obstacle)", help: help))
            return
        }
        let name = account.service?.name ?? ""
        guard PAMAccount.ownName != nil else {
            findings.append(.problem(Self.area, "the current user has no account and no password"))
            return
        }
        findings.append(.ok(Self.area, "passwords are checked by the PAM service \(name.quoted)"))
    }
}
