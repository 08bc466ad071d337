import { useCallback, useEffect, useRef, useState } from 'react'
import { wordsOf } from '../../schema/helpers/words-of.ts'
import type { KnownSignIns } from '../sync/people/sign-ins.ts'
import { useLiveValue } from '../ui/hooks/use-live-value.ts'
import type { SecuritySectionProps } from './security-section.tsx'

/** The signed-in devices: what is known at once, then what the server says, again at each connection. */
export function useSignIns(signIns: SecuritySectionProps['signIns']) {
  const isLive = useLiveValue(signIns.connection).state === 'live'
  const [found, setFound] = useState<KnownSignIns & { isFresh?: boolean }>()
  const [error, setError] = useState<string>()
  /** An answer that comes after a later one counts for nothing. */
  const latest = useRef(0)

  const load = useCallback(async () => {
    const turn = ++latest.current
    const kept = await signIns.readKnown().catch(() => undefined)
    if (turn !== latest.current) return
    setFound((now) => now ?? kept)
    try {
      const known = await signIns.read()
      if (turn !== latest.current) return
      setFound({ ...known, isFresh: true })
      setError(undefined)
    } catch (cause) {
      if (turn !== latest.current) return
      setFound(kept)
      setError(kept ? undefined : wordsOf(cause))
    }
  }, [signIns])

  // Asked without a connection too: it fails at once then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new connection asks again
  useEffect(() => void load(), [load, isLive])

  const run = (work: Promise<void>) =>
    void work.then(load, (cause: unknown) => setError(wordsOf(cause)))

  /** It may have changed since: said where nothing newer is about to come. */
  const isOld = found !== undefined && !(found.isFresh && isLive)

  return { found, isOld, error, run }
}
