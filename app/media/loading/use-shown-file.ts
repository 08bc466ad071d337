import { useState } from 'react'
import { useFile } from './use-file.ts'
import { useObjectUrl } from './use-object-url.ts'

/** The file of a message for an element of the page: `url` once it is here, unless the browser can't show it. */
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
