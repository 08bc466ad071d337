import { must } from '../../../schema/helpers/assertions.ts'
import { keepTokenSecret } from '../../../sync-server/access/keep-token-secret.ts'
import { createTokenKeeper } from '../../../sync-server/access/token-keeper.ts'

/**
 * A token of the same sign-in that expires after `keptMs`, signed with the secret in the server's
 * folder.
 */
export function shortenToken(options: { dataDir: string; token: string; keptMs: number }): string {
  const { dataDir, token, keptMs } = options
  const tokens = createTokenKeeper({ secret: keepTokenSecret(dataDir) })
  return tokens.sign(must(tokens.read(token), 'a token of this server'), Date.now() + keptMs)
}
