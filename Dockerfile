# pdi, alone on Node: docker build -t pdi . && docker run --rm -v pdi:/state pdi --sandbox person per_sample1
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json rolldown.config.ts tsconfig.json README.md LICENSE ./
COPY bin bin
COPY completions completions
COPY skills skills
COPY src src
RUN npm ci --no-audit --no-fund && npm pack --pack-destination /tmp

FROM node:24-slim
COPY --from=build /tmp/pdi-cli-*.tgz /tmp/
RUN npm install --global --omit=optional /tmp/pdi-cli-*.tgz && rm /tmp/pdi-cli-*.tgz
RUN mkdir /state && chown node:node /state
USER node
ENV XDG_STATE_HOME=/state
VOLUME /state
WORKDIR /work
STOPSIGNAL SIGINT
ENTRYPOINT ["pdi"]
