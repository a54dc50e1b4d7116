FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends make
WORKDIR /src
COPY . .
RUN make install PREFIX=/usr DESTDIR=/out

FROM debian:12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libcurl4 libmicrohttpd12 libpam0g libpq5 \
    libqrencode4 libsqlite3-0 libssl3 libstdc++6 libwslay1 libyaml-0-2 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/ /
RUN install -d -m 0700 -o 10001 -g 10001 /var/lib/corewire \
 && install -d -m 0755 -o 10001 -g 10001 /run/corewire
ENV STATE_DIRECTORY=/var/lib/corewire/state \
    RUNTIME_DIRECTORY=/run/corewire/runner \
    CREDENTIALS_DIRECTORY=/run/secrets
USER 10001:10001
HEALTHCHECK --interval=30s --start-period=10s CMD ["corewire", "status"]
ENTRYPOINT ["corewire"]
CMD ["run"]
