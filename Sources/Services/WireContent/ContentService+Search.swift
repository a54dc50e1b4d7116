import WireBase
import WireConfig
package import WireContentContract
import WireDeviceContract
import WireHTTP
import WireNetworkContract
import WireService
import WireStore
import WireTelemetry

/// Searches, at the server and in stored content.
extension ContentService {
    package func search(_ asked: ContentSearchRequest) async throws(ContentFailure) -> ContentPage {
        try await search(asked.query)
    }

    package func search(_ asked: ContentQuery) async throws(ContentFailure) -> ContentPage {
        do throws(ContentFailure) {
            let answer = try await found(asked, policy: asked.policy ?? requests.offlinePolicy)
            searches.with(answer.fact.isServers ? "server" : "stored").add()
            return answer
        } catch {
            searches.with("none").add()
            throw error
        }
    }

    private func found(_ asked: ContentQuery, policy: OfflinePolicy) async throws(ContentFailure) -> ContentPage {
        let query = try rules.filled(asked, device: deviceTags)
        let key = try scope.answer(query)
        let since = barrier.times
        switch policy {
        case .none:
            do throws(ContentFailure) {
                return try await ask(query)
            } catch {
                guard error.letsStoredBeGiven else { throw error }
                // A file with modules may lack the setting that allows reading them.
                throw error.helping("set 'network.offlinePolicy: loadAndStoreLocalData' to use stored content")
            }
        case .returnLocalDataDontLoad: return try await stored(query, key, because: "policy")
        case .loadAndStoreLocalData: break
        }
        do throws(ContentFailure) {
            var page = try await ask(query)
            page.fact = .miss
            // A user who has signed in meanwhile must not find the result.
            if try scope.answer(query) == key { await keep(page.bytes, key, since) }
            return page
        } catch {
            guard error.letsStoredBeGiven else { throw error }
            do throws(ContentFailure) {
                return try await stored(query, key, because: error.word)
            } catch let other {
                throw error.helping(other.reason)
            }
        }
    }

    private var deviceTags: [ContentTag] {
        host.uses.device?.device.tags.map { tag in
            ContentTag(
                tag.name,
                tag.value,
                type: tag.kind == .system ? ContentRules.systemTag : ContentRules.customTag
            )
        } ?? []
    }

    private func ask(_ query: ContentQuery) async throws(ContentFailure) -> ContentPage {
        var ask = ContentServer.Ask(.post, "instance/search")
        ask.body = query.json
        ask.cacheAge = rules.settings.cache.serverMaxAge
        ask.policy = OfflinePolicy.none
        ask.isRepeatable = true
        let answer = try await server.send(ask)
        return try server.json(answer.bytes).page(asked: query.paging, pageSize: rules.settings.pageSize).page
    }

    // MARK: Stored content

    /// The stored result of the same query, or one from copies, whichever is newer.
    private func stored(_ query: ContentQuery, _ key: String, because: String) async throws(ContentFailure)
        -> ContentPage
    {
        let now = host.clock.wall()
        let kept = kept(query, key, now, because)
        let copies: CopyAnswer
        do throws(ContentFailure) {
            copies = try await answerFromCopies(query)
        } catch {
            guard let kept else {
                guard error.kind == .notAnswerable else { throw error }
                throw ContentFailure(.notStored, "no stored content for this search: \(error.reason)", help: error.help)
            }
            return kept.page
        }
        if let kept, kept.stored >= copies.checked { return kept.page }
        var page = copies.found
        page.fact = fact(copies.checked, now, because)
        return page
    }

    private func fact(_ stored: Int64, _ now: Int64, _ because: String) -> ContentFact {
        let age = Duration.milliseconds(max(0, now - stored))
        let isFresh = rules.settings.cache.serverMaxAge.map { age <= $0 } ?? false
        return because == "policy" && isFresh ? .hit(age: age) : .stale(age: age, because: because)
    }

    private func kept(
        _ query: ContentQuery,
        _ key: String,
        _ now: Int64,
        _ because: String
    ) -> (page: ContentPage, stored: Int64)? {
        // An unreadable entry counts as missing; the cache may be lost at any time.
        guard let value = try? host.stores.cache.cached(key, in: CopyScope.region),
            .milliseconds(max(0, now - value.stored)) <= rules.settings.cache.maxAge,
            var page = try? server.json(value.bytes).page(asked: query.paging, pageSize: rules.settings.pageSize).page
        else { return nil }
        page.fact = fact(value.stored, now, because)
        return (page, value.stored)
    }

    private func keep(_ bytes: [UInt8], _ key: String, _ since: Int) async {
        // A request from before a clearing stores nothing after it.
        guard barrier.enter(since: since) else { return }
        defer { barrier.leave() }
        let value = CachedValue(bytes: bytes, notes: [], stored: host.clock.wall())
        do throws(StoreFailure) {
            try await host.stores.cache.cache(
                value,
                under: key,
                in: CopyScope.region,
                bound: rules.settings.cache.maxSize
            )
        } catch {
            host.log.debug("a search result cannot be stored", ["reason": .text(error.reason)])
        }
    }
}

extension ContentFailure {
    /// The reason for using stored content, in one word.
    fileprivate var word: String {
        switch kind {
        case .offline: "offline"
        case .signedOut, .locked, .blocked, .distrusted, .tokenUnavailable, .undeclaredToken: "token"
        default: "error"
        }
    }
}
