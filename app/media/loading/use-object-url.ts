import { useEffect, useState } from 'react'

/** An object URL for bytes; revoked on unmount. */
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
