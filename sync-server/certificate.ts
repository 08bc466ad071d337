import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Server as HttpServer } from 'node:http'
import { createSecureContext, Server as TlsServer } from 'node:tls'
import { wordsOf } from '../schema/helpers/text.ts'

/** A certificate and its key, as PEM, and where they come from. */
export interface Certificate {
  cert: Buffer
  key: Buffer
  certPath: string
  keyPath: string
}

/** Programs that renew certificates do it weeks before the end. */
const lookEveryMs = 60_000

/** @throws Error with words for the operator, without anything of the key */
export function readCertificate(paths: { certPath: string; keyPath: string }): Certificate {
  const read = (name: string, path: string) => {
    try {
      return readFileSync(path)
    } catch (cause) {
      throw new Error(`${name} must be the path of a file that can be read.`, { cause })
    }
  }
  const cert = read('TLS_CERT', paths.certPath)
  const key = read('TLS_KEY', paths.keyPath)
  const problem = findProblem({ cert, key })
  if (problem) {
    throw new Error(`TLS_CERT and TLS_KEY must hold a certificate and its own key: ${problem}.`)
  }
  return { cert, key, ...paths }
}

/**
 * Serves a renewed certificate from the next connection on. Looks at the contents: renewals replace
 * files, links or folders. One that does not fit its key, such as in the middle of a renewal, is left
 * until it does; the one before goes on.
 * @param onRenewed called with each certificate that is taken
 * @param onRefused called once for each pair that cannot be used
 */
export function followCertificate(options: {
  server: HttpServer | TlsServer
  certificate: Certificate
  onRenewed: () => void
  onRefused: (problem: string) => void
  everyMs?: number | undefined
}): { close(): void } {
  const { server, certificate, onRenewed, onRefused, everyMs = lookEveryMs } = options
  const state = { served: writePair(certificate), refused: '', isLooking: false }

  async function look() {
    const [cert, key] = await Promise.all([
      readFile(certificate.certPath),
      readFile(certificate.keyPath),
    ])
    const found = writePair({ cert, key })
    if (found === state.served) return
    const problem = findProblem({ cert, key })
    if (problem) return refuse(problem)
    if (server instanceof TlsServer) server.setSecureContext({ cert, key })
    Object.assign(state, { served: found, refused: '' })
    onRenewed()
  }

  function refuse(problem: string) {
    if (state.refused === problem) return
    state.refused = problem
    onRefused(problem)
  }

  const timer = setInterval(() => {
    if (state.isLooking) return
    state.isLooking = true
    look()
      .catch((error: unknown) => refuse(wordsOf(error)))
      .finally(() => {
        state.isLooking = false
      })
  }, everyMs).unref()
  return { close: () => clearInterval(timer) }
}

const writePair = ({ cert, key }: { cert: Buffer; key: Buffer }) => `${cert}\n${key}`

function findProblem(pair: { cert: Buffer; key: Buffer }): string | undefined {
  try {
    createSecureContext(pair)
    return undefined
  } catch (error) {
    // OpenSSL's reason names no content: `key values mismatch`.
    return (error as { reason?: string }).reason ?? 'neither can be read as PEM'
  }
}
