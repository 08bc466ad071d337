import { type RefObject, useLayoutEffect } from 'react'

/** Lets the field grow with its text where the browser's `field-sizing` does not. */
export function useFieldHeight(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current
    if (!element || CSS.supports('field-sizing', 'content')) return
    element.style.height = text === '' ? '' : 'auto'
    if (text !== '') element.style.height = `${element.scrollHeight}px`
  }, [field, text])
}
