import Support
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService

@testable import WireAuth

@Suite("Session failures")
struct AuthFailureTests {
    @Test("each kind has its own problem type, with the same status", arguments: AuthFailureKind.allCases)
    func types(kind: AuthFailureKind) {
        #expect(kind.rawValue.utf8.allSatisfy { $0.isLetter && $0 > 0x60 || $0 == 0x2d })
        #expect(kind.rawValue.split(separator: "-").allSatisfy { $0.count > 1 })
        #expect(AuthFailureKind(rawValue: kind.rawValue)?.facts.status == kind.facts.status)
    }

    @Test("a withheld token has guidance, and a retry delay where useful")
    func withheld() {
        let failure = AuthFailure(TokenRefusal(.unavailable, guidance: "Try later."), pause: .milliseconds(2_500))
        let problem = Problem(failure)
        #expect(problem.status == .unavailable && problem.kind == "token-unavailable")
        #expect(problem.detail == "Try later." && problem.fields["Retry-After"] == "3")
        let signedOut = Problem(AuthFailure(TokenRefusal(.signedOut, guidance: "Sign in first."), pause: .seconds(2)))
        #expect(signedOut.fields["Retry-After"] == nil && signedOut.fields["WWW-Authenticate"] != nil)
    }

    @Test("a wrong PIN reports the remaining attempts, in detail and guidance")
    func wrong() {
        let failure = AuthFailure(LockFailure.wrong(.pin, left: 2, wait: .seconds(4)))
        #expect(failure.guidance == "Wrong PIN; 2 attempts are left.")
        let problem = Problem(failure)
        #expect(problem.kind == "wrong-pin" && problem.status == .forbidden)
        #expect(problem.detail == "the PIN is wrong, 2 attempts are left" && problem.fields["Retry-After"] == "4")
        let password = AuthFailure(LockFailure.wrong(.pam, left: 1, wait: .zero))
        #expect(password.kind == .session(.wrongPassword))
        #expect(password.reason == "the password is wrong, one attempt is left")
    }

    @Test("a temporarily failed sign-in reports when to retry")
    func signIn() {
        let trouble = Trouble(kind: "offline", guidance: "No network.", detail: "x", origin: nil, isTransient: true)
        var cause = SignInFailure(.offline, "no way")
        #expect(Problem(AuthFailure(cause, trouble)).fields["Retry-After"] == "5")
        cause.retryAfter = .seconds(9)
        let problem = Problem(AuthFailure(cause, trouble))
        #expect(problem.fields["Retry-After"] == "9" && problem.kind == "offline")
        #expect(problem.detail == "No network.")
    }
}
