import { useEffect, useState } from 'react'

/** An address for bytes that are here; it is given back when they are not drawn any more. */
export function useObjectUrl(bytes: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!bytes) return
    const own = URL.createObjectURL(bytes)
    setUrl(own)
    return () => {
      setUrl(undefined)
      URL.revokeObjectURL(own)
    }
  }, [bytes])
  return url
}
