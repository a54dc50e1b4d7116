package import WireBase
import WireConfig
package import WireService

/// Makes token sources with the facilities of one service.
package struct HostTokenSources: TokenSources {
    private let folder: String
    private let clock: TimeSource
    private let tokens: (any AccessTokens)?
    private let programs: (any Programs)?

    package init(
        folder: String,
        clock: TimeSource,
        tokens: (any AccessTokens)?,
        programs: (any Programs)?
    ) {
        self.folder = folder
        self.clock = clock
        self.tokens = tokens
        self.programs = programs
    }

    package func supply(_ origin: TokenOrigin, timeLimit: Duration, from place: ValueOrigin?) -> any TokenSupply {
        if case .auth(let mode) = origin {
            return SignedInTokens(tokens, mode: mode, timeLimit: timeLimit, place: place, clock: clock)
        }
        let fetch = TokenFetch(origin: origin, folder: folder, clock: clock, programs: programs)
        return CachedToken(fetch, timeLimit: timeLimit, place: place, clock: clock)
    }
}
