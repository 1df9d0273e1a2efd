// For Node.js 20: the conformance suite imports globSync, which came with 22, for what is not used here.
export async function resolve(specifier, context, next) {
  if (specifier === 'fs' && context.parentURL?.includes('/conformance/')) {
    const source = 'export * from "node:fs"; export {default} from "node:fs"; export const globSync = undefined;';
    return {url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true};
  }
  return next(specifier, context);
}
