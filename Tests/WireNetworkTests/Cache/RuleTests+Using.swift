import WireHTTP

/// When the server must be asked, what a request may say, and which stored answer is meant.
extension RuleTests {
    static let validating: [Rule] = [
        Rule("4.3.1: validation by entity tag", tag, up: .validated, down: .stale),
        Rule("4.3.1: validation by date", ["Last-Modified": "@0"], up: .validated, down: .stale),
        Rule(
            "5.2.2.4: 'no-cache' requires validation each time",
            ["Cache-Control": "no-cache, max-age=60", "ETag": "\"1\""],
            up: .validated,
            down: .failed
        ),
        Rule(
            "5.2.2.4: 'no-cache' with fields applies to these",
            ["Cache-Control": "no-cache=\"X-Mood\", max-age=60"],
            up: .hit,
            down: .hit
        ),
        Rule(
            "5.2.2.2: 'must-revalidate' has no effect while fresh",
            ["Cache-Control": "must-revalidate, max-age=60"],
            after: 59,
            up: .hit,
            down: .hit
        ),
        Rule(
            "5.2.2.2: 'must-revalidate' forbids stale responses",
            ["Cache-Control": "must-revalidate, max-age=60"],
            after: 60,
            up: .loaded,
            down: .failed
        ),
        Rule(
            "5.2.2.8: 'proxy-revalidate' applies to shared caches",
            ["Cache-Control": "proxy-revalidate, max-age=60"],
            after: 60,
            up: .loaded,
            down: .stale
        ),
    ]

    static let requests: [Rule] = [
        Rule(
            "5.2.1.4: 'no-cache' of the request",
            ["Cache-Control": "max-age=60"],
            then: ["Cache-Control": "no-cache"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "5.4: 'Pragma: no-cache'",
            ["Cache-Control": "max-age=60"],
            then: ["Pragma": "no-cache"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "5.4: 'Pragma' beside 'Cache-Control' has no effect",
            ["Cache-Control": "max-age=60"],
            then: ["Pragma": "no-cache", "Cache-Control": "max-age=60"],
            up: .hit,
            down: .hit
        ),
        Rule(
            "5.2.1.1: 'max-age' not exceeded",
            ["Cache-Control": "max-age=60"],
            after: 30,
            then: ["Cache-Control": "max-age=30"],
            up: .hit,
            down: .hit
        ),
        Rule(
            "5.2.1.1: 'max-age' exceeded",
            ["Cache-Control": "max-age=60"],
            after: 31,
            then: ["Cache-Control": "max-age=30"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "5.2.1.3: 'min-fresh' satisfied",
            ["Cache-Control": "max-age=60"],
            after: 40,
            then: ["Cache-Control": "min-fresh=20"],
            up: .hit,
            down: .hit
        ),
        Rule(
            "5.2.1.3: 'min-fresh' not satisfied",
            ["Cache-Control": "max-age=60"],
            after: 41,
            then: ["Cache-Control": "min-fresh=20"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "5.2.1.2: 'max-stale' not exceeded",
            ["Cache-Control": "max-age=60"],
            after: 70,
            then: ["Cache-Control": "max-stale=10"],
            up: .stale,
            down: .stale
        ),
        Rule(
            "5.2.1.2: 'max-stale' exceeded",
            ["Cache-Control": "max-age=60"],
            after: 71,
            then: ["Cache-Control": "max-stale=10"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "5.2.1.2: 'max-stale' without a value",
            ["Cache-Control": "max-age=60"],
            after: 9_999,
            then: ["Cache-Control": "max-stale"],
            up: .stale,
            down: .stale
        ),
        Rule(
            "5.2.1.2: 'must-revalidate' precedes 'max-stale'",
            ["Cache-Control": "max-age=60, must-revalidate"],
            after: 70,
            then: ["Cache-Control": "max-stale=99"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "5.2.1.7: 'only-if-cached' with a fresh response",
            ["Cache-Control": "max-age=60"],
            then: ["Cache-Control": "only-if-cached"],
            up: .hit,
            down: .hit
        ),
        Rule(
            "5.2.1.7: 'only-if-cached' with a stale response",
            ["Cache-Control": "max-age=60"],
            after: 60,
            then: ["Cache-Control": "only-if-cached"],
            up: .failed,
            down: .failed
        ),
        Rule(
            "5.2.1.7: 'only-if-cached' with 'max-stale'",
            ["Cache-Control": "max-age=60"],
            after: 60,
            then: ["Cache-Control": "only-if-cached, max-stale"],
            up: .stale,
            down: .stale
        ),
    ]

    static let varying: [Rule] = [
        Rule(
            "a content coding is returned only to callers that accept it, whatever 'Vary' says",
            ["Content-Encoding": "gzip", "Cache-Control": "max-age=60"],
            first: ["Accept-Encoding": "gzip"],
            then: ["Accept-Encoding": "gzip"],
            up: .hit,
            down: .hit
        ),
        Rule(
            "a caller without Accept-Encoding gets no content coding",
            ["Content-Encoding": "gzip", "Cache-Control": "max-age=60"],
            first: ["Accept-Encoding": "gzip"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "a body without a content coding is returned to every caller",
            ["Content-Encoding": "identity", "Cache-Control": "max-age=60"],
            then: ["Accept-Encoding": "gzip"],
            up: .hit,
            down: .hit
        ),
        Rule(
            "4.1: an equal value",
            ["Vary": "Accept-Language", "Cache-Control": "max-age=60"],
            first: ["Accept-Language": "de,en"],
            then: ["accept-language": "de, en"],
            up: .hit,
            down: .hit
        ),
        Rule(
            "4.1: a different value",
            ["Vary": "Accept-Language", "Cache-Control": "max-age=60"],
            first: ["Accept-Language": "de"],
            then: ["Accept-Language": "en"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "4.1: an absent value is a value",
            ["Vary": "Accept-Language", "Cache-Control": "max-age=60"],
            first: ["Accept-Language": "de"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "4.1: a field not in 'Vary'",
            ["Vary": "Accept-Language", "Cache-Control": "max-age=60"],
            first: ["Accept": "a/b"],
            then: ["Accept": "c/d"],
            up: .hit,
            down: .hit
        ),
        Rule(
            "own credentials separate callers",
            ["Cache-Control": "max-age=60"],
            first: ["Authorization": "Bearer x"],
            then: ["Authorization": "Bearer y"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "API keys separate callers",
            ["Cache-Control": "max-age=60"],
            first: ["X-Api-Key": "x"],
            then: ["X-Api-Key": "y"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "cookies separate callers",
            ["Cache-Control": "max-age=60"],
            first: ["Cookie": "x"],
            then: ["Cookie": "y"],
            up: .loaded,
            down: .failed
        ),
    ]
}
