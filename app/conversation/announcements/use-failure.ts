import { useEffect, useRef, useState } from 'react'
import type { MessageDocument } from '../../../schema/message.ts'
import { type Failure, findFailure } from './find-failure.ts'

/** The newest failure among these messages, as soon as it is known. */
export function useFailure(items: readonly MessageDocument[]): Failure | undefined {
  const [failure, setFailure] = useState<Failure>()
  const before = useRef(items)
  useEffect(() => {
    const found = findFailure(before.current, items)
    before.current = items
    if (found) setFailure(found)
  }, [items])
  return failure
}
