import { useEffect, useRef } from 'react'
import { useLocation, useNavigate, useNavigationType } from 'react-router-dom'

/**
 * The way from a conversation to its list. Where the list is the page before, it goes back like the browser's own
 * button, so that going there and back does not pile up in the history.
 */
export function useBackToList(isList: boolean): (listPath: string) => void {
  const navigate = useNavigate()
  const { key } = useLocation()
  const type = useNavigationType()
  const openedFromList = useRef(new Set<string>())
  const wasList = useRef(isList)
  useEffect(() => {
    if (type === 'PUSH' && wasList.current && !isList) openedFromList.current.add(key)
    wasList.current = isList
  }, [key, type, isList])
  return (listPath) => {
    if (openedFromList.current.has(key)) void navigate(-1)
    else void navigate(listPath, { replace: true })
  }
}
