import { type RefObject, useLayoutEffect, useRef } from 'react'

/** A ref to the newest value, so that a stable callback can read it. */
export function useLatest<T>(value: T): RefObject<T> {
  const ref = useRef(value)
  useLayoutEffect(() => {
    ref.current = value
  })
  return ref
}
