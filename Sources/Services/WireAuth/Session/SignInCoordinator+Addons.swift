import WireAddonContract
import WireBase
import WireConfig
import WireService

extension SignInCoordinator {
    /// Runs a sign-in with add-ons; returns when one has ended it, or the task is cancelled.
    func ask(_ addons: SignInAddons, _ waiting: Waiting) async {
        let left = max(.zero, waiting.task.ends - clock.monotonic())
        switch await addons.ask(waiting.way.addonWay, patience: left) {
        case .answered(let answer, let name, let origin):
            if await follow(answer, of: name, origin, addons, waiting) { return }
        case .nothing, .nobody:
            // A missing add-on ends the sign-in only where there is no other way to sign in.
            guard case .addon = waiting.way, clock.monotonic() < waiting.task.ends, !Task.isCancelled, claim(waiting)
            else { break }
            return fail(SignInAddons.absence, waiting.task)
        }
        await untilCancelled()
    }

    /// Processes an add-on's answer; false where the sign-in goes on.
    private func follow(
        _ answer: AddonSignInAnswer,
        of name: String,
        _ origin: ValueOrigin?,
        _ addons: SignInAddons,
        _ waiting: Waiting
    ) async -> Bool {
        var isTaken = false
        do throws(SignInFailure) {
            switch answer {
            case .callback(let url): try await finish(callback: url) { _ in isTaken = true }
            case .credentials(let credentials):
                isTaken = claim(waiting, finishing: true)
                guard isTaken else { return true }
                try await complete(waiting) { () async throws(SignInFailure) in
                    try await server.signIn(by: credentials)
                }
            case .refusal(let reason):
                isTaken = claim(waiting)
                if isTaken { fail(SignInAddons.refusal(reason, by: name), waiting.task) }
            }
            return true
        } catch {
            // A failure of an accepted answer is already reported to all waiting callers.
            if !isTaken { addons.logRejection(error, name, origin) }
            return isTaken
        }
    }
}
