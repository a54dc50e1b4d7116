import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WirePAM
import WireService

/// A folder of PAM services, each with the modules of a test.
///
/// What judges is `pam_exec` with a program that compares what it reads, and `pam_debug`, which says what it is told to: both
/// come with PAM itself, and no account of the machine is touched.
struct Services {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a service; `right` is the one password it takes.
    func write(_ name: String = "corewire", right: String = "correct horse", account: String = "required pam_permit.so")
        throws
    {
        let check = folder.url.appendingPathComponent("check")
        // What pam_exec hands over ends with a null.
        let script = """
            #!/bin/sh
            printf '%s\\0' '\(right)' >'\(folder.url.path)/right'
            cat >'\(folder.url.path)/given'
            cmp -s '\(folder.url.path)/right' '\(folder.url.path)/given' && exit 0
            printf '%s' '\(right)' | cmp -s - '\(folder.url.path)/given'
            """
        try script.write(to: check, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: check.path)
        try write(
            name,
            text: """
                auth [success=1 default=ignore] pam_exec.so quiet expose_authtok \(check.path)
                auth requisite pam_deny.so
                auth required pam_permit.so
                account \(account)

                """
        )
    }

    func write(_ name: String = "corewire", text: String) throws {
        try text.write(to: folder.url.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }

    func account(_ clock: TimeSource = HandClock().clockwork, limit: Duration = .seconds(30)) -> PAMAccount {
        PAMAccount(clock, limit: limit, folder: folder.url.path)
    }
}

@Suite("Account passwords checked by PAM", .serialized, .timeLimit(.minutes(1)))
struct PAMAccountTests {
    @Test("the right password is accepted, any other is rejected")
    func judges() async throws {
        let services = try Services()
        try services.write()
        let account = services.account()
        #expect(account.obstacle == nil)
        #expect(await account.check(Secret("correct horse")) == .right)
        #expect(await account.check(Secret("wrong horse")) == .wrong)
        #expect(await account.check(Secret("correct horse ")) == .wrong)
    }

    @Test(
        "an impossible password is rejected without calling PAM",
        arguments: ["", "a\0b", String(repeating: "x", count: 512)]
    )
    func impossible(_ text: String) async throws {
        let services = try Services()
        try services.write(text: "auth required pam_permit.so\naccount required pam_permit.so\n")
        #expect(await services.account().check(Secret("anything")) == .right)
        #expect(await services.account().check(Secret(text)) == .wrong)
    }

    @Test("a password of maximum length is passed completely")
    func longest() async throws {
        let services = try Services()
        let text = String(repeating: "y", count: 511)
        try services.write(right: text)
        #expect(await services.account().check(Secret(text)) == .right)
        #expect(await services.account().check(Secret(String(text.dropLast()))) == .wrong)
    }

    @Test(
        "a disabled account is rejected, even with the right password",
        arguments: ["acct_expired", "new_authtok_reqd", "perm_denied", "auth_err"]
    )
    func accountPhase(_ word: String) async throws {
        let services = try Services()
        try services.write(account: "required pam_debug.so acct=\(word)")
        guard case .none(let reason) = await services.account().check(Secret("correct horse")) else {
            Issue.record("it has opened")
            return
        }
        #expect(reason.hasPrefix("the account may not be used: "))
        #expect(await services.account().check(Secret("wrong")) == .wrong)
    }

    @Test(
        "a PAM failure is neither right nor wrong",
        arguments: ["authinfo_unavail", "system_err", "service_err", "conv_err", "abort", "module_unknown"]
    )
    func unjudged(_ word: String) async throws {
        let services = try Services()
        try services.write(text: "auth required pam_debug.so auth=\(word)\naccount required pam_permit.so\n")
        guard case .none(let reason) = await services.account().check(Secret("secret words")) else {
            Issue.record("there is a verdict")
            return
        }
        #expect(!reason.contains("secret"))
    }

    @Test(
        "any other PAM status is a rejection",
        arguments: ["auth_err", "maxtries", "perm_denied", "user_unknown", "acct_expired"]
    )
    func no(_ word: String) async throws {
        let services = try Services()
        try services.write(text: "auth required pam_debug.so auth=\(word)\naccount required pam_permit.so\n")
        #expect(await services.account().check(Secret("secret")) == .wrong)
    }

    @Test("a missing PAM module rejects")
    func missingModule() async throws {
        let services = try Services()
        try services.write(text: "auth required pam_nowhere.so\naccount required pam_permit.so\n")
        #expect(await services.account().check(Secret("secret")) != .right)
    }

    @Test("a machine without a PAM service is reported")
    func noService() async throws {
        let account = try Services().account()
        #expect(account.obstacle?.contains("no PAM service") == true)
        guard case .none = await account.check(Secret("x")) else {
            Issue.record("there is a verdict")
            return
        }
    }

    @Test("corewire's own service precedes that of logins, and that the default")
    func services() throws {
        let services = try Services()
        for name in ["other", "login", "corewire"] {
            try services.write(name)
            #expect(services.account().service?.name == name)
        }
    }

    @Test("with NoNewPrivileges, only root or an own service can check passwords")
    func privileges() {
        let login = PAMService(name: "login")
        #expect(login.obstacle(isRoot: false, mayGainPrivileges: false) != nil)
        #expect(login.obstacle(isRoot: true, mayGainPrivileges: false) == nil)
        #expect(login.obstacle(isRoot: false, mayGainPrivileges: true) == nil)
        #expect(PAMService(name: "corewire").obstacle(isRoot: false, mayGainPrivileges: false) == nil)
    }

    @Test("a hanging module causes a timeout, and only one check runs at a time")
    func patience() async throws {
        let services = try Services()
        let pipe = services.folder.url.appendingPathComponent("pipe").path
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let script = services.folder.url.appendingPathComponent("wait")
        // Whoever writes into the pipe lets it go on.
        try "#!/bin/sh\nread answer <'\(pipe)'\n".write(to: script, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script.path)
        try services.write(
            text: "auth required pam_exec.so quiet \(script.path)\naccount required pam_permit.so\n"
        )
        let clock = HandClock()
        let account = services.account(clock.clockwork, limit: .seconds(30))
        async let first = account.check(Secret("x"))
        while clock.sleepers == 0 { await Task.yield() }
        clock.pass(.seconds(30))
        #expect(await first == .none(because: "PAM did not respond within 30 s"))
        #expect(await account.check(Secret("x")) == .none(because: "PAM is still verifying another password"))
        let writer = try #require(FileHandle(forWritingAtPath: pipe))
        try writer.write(contentsOf: Data("go\n".utf8))
        try writer.close()
        // It is free again as soon as the module has come back.
        while true {
            let asking = Task { await account.check(Secret("x")) }
            let next = FileHandle(forUpdatingAtPath: pipe)
            try next?.write(contentsOf: Data("go\n".utf8))
            let verdict = await asking.value
            try next?.close()
            if verdict == .right { break }
            #expect(verdict == .none(because: "PAM is still verifying another password"))
        }
    }
}
