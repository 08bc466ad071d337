import { useState } from 'react'
import { useFile } from './use-file.ts'
import { useObjectUrl } from './use-object-url.ts'

/**
 * A message's file for an element of the page: `url` once loaded, unless the browser cannot show
 * it.
 */
export function useShownFile(options: Parameters<typeof useFile>[0]) {
  const { view, load } = useFile(options)
  const own = useObjectUrl(view.kind === 'here' ? view.bytes : undefined)
  const [isBroken, setIsBroken] = useState(false)
  return {
    view,
    load,
    isBroken,
    url: isBroken ? undefined : own,
    onError: () => setIsBroken(true),
  }
}
