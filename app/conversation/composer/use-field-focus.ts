import { type RefObject, useEffect } from 'react'

interface FocusOptions {
  takesFocus: boolean
  /** A change takes the focus again. */
  focusKey: string
}

/** Puts the cursor at the end of the field. */
export function useFieldFocus(
  field: RefObject<HTMLTextAreaElement | null>,
  { takesFocus, focusKey }: FocusOptions,
): void {
  useEffect(() => {
    const element = field.current
    if (!element || !takesFocus || focusKey === undefined) return
    element.focus({ preventScroll: true })
    element.setSelectionRange(element.value.length, element.value.length)
  }, [field, takesFocus, focusKey])
}
