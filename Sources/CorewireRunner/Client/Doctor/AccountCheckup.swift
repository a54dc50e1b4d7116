import CorewireCatalogue
import WireBase
import WireHost
import WirePAM

/// Whether the password of the account can be checked, where the file says that it unlocks sessions.
struct AccountCheckup {
    private(set) var findings: [Finding] = []

    private static let area = "lock"

    init(_ file: FileCheckup) {
        guard let judged = file.judged, RunnerHints.unlocksByAccount(judged) else { return }
        let account = PAMAccount(.host)
        if let obstacle = account.obstacle {
            let help =
                account.service == nil ? "write /etc/pam.d/corewire" : "write /etc/pam.d/corewire, or let it gain some"
            findings.append(.problem(Self.area, "sessions could not be unlocked: \(obstacle)", help: help))
            return
        }
        let name = account.service?.name ?? ""
        guard PAMAccount.ownName != nil else {
            findings.append(.problem(Self.area, "the user that runs this has no account, so it has no password"))
            return
        }
        findings.append(.ok(Self.area, "passwords are checked by the PAM service \(name.quoted)"))
    }
}
