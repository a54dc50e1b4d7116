import WireAddonContract
import WireBase

extension AddonRegistry {
    private enum Step {
        case said(AddonSignInEnd)
        /// An add-on has joined, left or restarted.
        case changed
        /// The sign-in has ended meanwhile.
        case late
    }

    /// Asks all add-ons with the sign-in hook at once; the first with a result ends the question for the others.
    ///
    /// While the sign-in continues, add-ons that join or restart are asked too.
    func signIn(_ signInRequest: AddonSignIn) async -> AddonSignInEnd {
        let ends = signInRequest.patience.map { clock.monotonic() + $0 }
        return await withTaskGroup(of: Step.self) { group in
            defer { group.cancelAll() }
            if signInRequest.isOpen, let patience = signInRequest.patience {
                group.addTask { [clock] in
                    try? await clock.sleep(patience)
                    return .late
                }
            }
            var known: Set<AddonStart> = []
            var (hasAsked, isLooking) = (false, false)
            while true {
                let before = hooks?.changes.count ?? 0
                let left = ends.map { max(.zero, $0 - clock.monotonic()) }
                let question = AddonQuestion.signIn(AddonSignIn(signInRequest.way, patience: left))
                for connection in answering(question, where: { known.insert($0.start).inserted }) {
                    hasAsked = true
                    group.addTask { .said(await Self.ask(connection, question)) }
                }
                guard !isOver, hasAsked || signInRequest.isOpen else { return .nobody }
                if signInRequest.isOpen, !isLooking, let changes = hooks?.changes {
                    isLooking = true
                    group.addTask {
                        await changes.wait(after: before)
                        return .changed
                    }
                }
                switch await group.next() {
                case .said(.answered(let answer, let name, let origin)):
                    return .answered(answer, by: name, origin: origin)
                case .said: break
                case .changed where !Task.isCancelled: isLooking = false
                case .changed, .late, nil: return .nothing
                }
            }
        }
    }

    private static func ask(_ connection: any AddonConnection, _ question: AddonQuestion) async -> AddonSignInEnd {
        guard case .signIn(let answer)? = await connection.ask(question) else { return .nothing }
        return .answered(answer, by: connection.name, origin: connection.origin)
    }
}
