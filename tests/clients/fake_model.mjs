// A model on loopback that real agents are driven with (agents.mjs). It speaks just enough of Anthropic's messages,
// OpenAI's responses and chat completions, and Gemini's generateContent, streamed or not, to notice what tools it is
// offered, to ask for the one whose description begins with `marker`, and to finish with what came back. It
// understands nothing.

import http from 'node:http';

const callId = 'call_agents_0001';
const usage = {input_tokens: 1, output_tokens: 1, total_tokens: 2};

// What a tool's result says as text: a string, or blocks of which some have text.
function textOf(content) {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map((block) => block.text ?? JSON.stringify(block)).join('\n');
  return JSON.stringify(content);
}

// Of every tool in `tools`, wherever the dialect puts them: {name, namespace, description}.
function flattened(tools, namespace) {
  return (Array.isArray(tools) ? tools : []).flatMap((entry) => {
    if (entry.functionDeclarations) return flattened(entry.functionDeclarations);
    if (entry.type === 'namespace') return flattened(entry.tools, entry.name);
    const {name = entry.type, description = ''} = entry.function ?? entry;
    return [{name, namespace, description}];
  });
}

// Each dialect: where it is reached, the result of our call in a request, and an answer, which is a tool call when
// `tool` is there. As events: pairs of a name (or undefined) and data.
const anthropic = {
  path: /\/v1\/messages$/,
  result: (body) => body.messages?.flatMap((one) => (Array.isArray(one.content) ? one.content : []))
    .find((block) => block.type === 'tool_result' && block.tool_use_id === callId)?.content,
  streams: (body) => body.stream === true,
  content: ({text, tool, input}) => (tool
    ? {type: 'tool_use', id: callId, name: tool.name, input}
    : {type: 'text', text}),
  whole(body, answer) {
    return {id: 'msg_1', type: 'message', role: 'assistant', model: body.model, content: [this.content(answer)],
      stop_reason: answer.tool ? 'tool_use' : 'end_turn', stop_sequence: null, usage};
  },
  events(body, answer) {
    const {content: [block], stop_reason, ...message} = this.whole(body, answer);
    const [empty, delta] = answer.tool
      ? [{...block, input: {}}, {type: 'input_json_delta', partial_json: JSON.stringify(block.input)}]
      : [{...block, text: ''}, {type: 'text_delta', text: block.text}];
    return [
      {type: 'message_start', message: {...message, content: [], stop_reason: null}},
      {type: 'content_block_start', index: 0, content_block: empty},
      {type: 'content_block_delta', index: 0, delta},
      {type: 'content_block_stop', index: 0},
      {type: 'message_delta', delta: {stop_reason, stop_sequence: null}, usage: {output_tokens: 1}},
      {type: 'message_stop'},
    ].map((data) => [data.type, data]);
  },
};

const responses = {
  path: /\/v1\/responses$/,
  result: (body) => (Array.isArray(body.input) ? body.input : [])
    .find((item) => item.type === 'function_call_output' && item.call_id === callId)?.output,
  streams: (body) => body.stream === true,
  whole(body, {text, tool, input}) {
    const output = tool
      ? {type: 'function_call', id: 'fc_1', call_id: callId, name: tool.name, arguments: JSON.stringify(input),
        ...(tool.namespace && {namespace: tool.namespace}), status: 'completed'}
      : {type: 'message', id: 'msg_1', role: 'assistant', status: 'completed',
        content: [{type: 'output_text', text, annotations: []}]};
    return {id: 'resp_1', object: 'response', created_at: 0, model: body.model, status: 'completed', output: [output],
      usage: {...usage, input_tokens_details: {cached_tokens: 0}, output_tokens_details: {reasoning_tokens: 0}}};
  },
  events(body, answer) {
    const response = this.whole(body, answer);
    const [item] = response.output;
    return [
      {type: 'response.created', response: {...response, status: 'in_progress', output: []}},
      {type: 'response.output_item.added', output_index: 0, item: {...item, status: 'in_progress'}},
      {type: 'response.output_item.done', output_index: 0, item},
      {type: 'response.completed', response},
    ].map((data) => [data.type, data]);
  },
};

const chat = {
  path: /\/chat\/completions$/,
  result: (body) => body.messages?.find((one) => one.role === 'tool' && one.tool_call_id === callId)?.content,
  streams: (body) => body.stream === true,
  message: ({text, tool, input}) => ({role: 'assistant', content: tool ? null : text, ...(tool && {tool_calls: [
    {index: 0, id: callId, type: 'function', function: {name: tool.name, arguments: JSON.stringify(input)}}]})}),
  completion(body, object, choice) {
    return {id: 'chatcmpl-1', object, created: 0, model: body.model, choices: [{index: 0, ...choice}],
      usage: {prompt_tokens: 1, completion_tokens: 1, total_tokens: 2}};
  },
  whole(body, answer) {
    const finish_reason = answer.tool ? 'tool_calls' : 'stop';
    return this.completion(body, 'chat.completion', {message: this.message(answer), finish_reason});
  },
  events(body, answer) {
    const chunk = (choice) => [undefined, this.completion(body, 'chat.completion.chunk', choice)];
    return [
      chunk({delta: this.message(answer), finish_reason: null}),
      chunk({delta: {}, finish_reason: answer.tool ? 'tool_calls' : 'stop'}),
      [undefined, '[DONE]'],
    ];
  },
};

const gemini = {
  path: /:(streamG|g)enerateContent$/,
  result: (body) => body.contents?.flatMap((one) => one.parts ?? [])
    .map((part) => part.functionResponse)
    .find((one) => one?.id === callId || one?.name.endsWith('bash'))?.response,
  streams: (_, path) => path.endsWith(':streamGenerateContent'),
  whole(_, {text, tool, input}) {
    const part = tool ? {functionCall: {id: callId, name: tool.name, args: input}} : {text};
    return {candidates: [{content: {role: 'model', parts: [part]}, finishReason: 'STOP', index: 0}],
      usageMetadata: {promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2}};
  },
  events(body, answer) { return [[undefined, this.whole(body, answer)]]; },
};

const dialects = {anthropic, responses, chat, gemini};

async function jsonOf(request) {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response, dialect, body, path, answer) {
  if (!dialect.streams(body, path)) {
    response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(dialect.whole(body, answer)));
    return;
  }
  response.writeHead(200, {'content-type': 'text/event-stream', 'cache-control': 'no-cache'});
  for (const [name, data] of dialect.events(body, answer)) {
    const line = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${name ? `event: ${name}\n` : ''}data: ${line}\n\n`);
  }
  response.end();
}

// Listens on a port of its own. `seen` fills while it is used:
//   requests  "POST /v1/messages 3 tools" ...
//   offered   {name, namespace, others: [names]}: the tool with the marker as it was offered first, and those beside it
//   asked     how often it was called; twice at most, as one that never answers is no reason to ask forever
//   result    the text that came back to the model; undefined when none did
// `onResult` is called when it comes, while the agent still waits for the last word.
export async function startFakeModel({marker, input, onResult = () => {}}) {
  const seen = {requests: [], offered: undefined, asked: 0, result: undefined};

  function answerTo(dialect, body) {
    const tools = flattened(body.tools);
    const tool = tools.find((one) => one.description.startsWith(marker));
    if (tool && !seen.offered) {
      const others = tools.filter((one) => one !== tool).map((one) => one.name);
      seen.offered = {name: tool.name, namespace: tool.namespace, others};
    }
    const result = dialect.result(body);
    if (result !== undefined) {
      if (seen.result === undefined) {
        seen.result = textOf(result);
        onResult();
      }
      return {text: `The tool said: ${textOf(result)}`};
    }
    if (!tool || seen.asked >= 2) return {text: tool ? 'There was no result.' : 'No tool was offered.'};
    seen.asked += 1;
    return {tool, input};
  }

  const server = http.createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://127.0.0.1').pathname);
    const body = await jsonOf(request);
    seen.requests.push(`${request.method} ${path}${body?.tools ? ` ${flattened(body.tools).length} tools` : ''}`);
    const dialect = Object.values(dialects).find((one) => one.path.test(path));
    if (request.method === 'POST' && dialect && body) {
      send(response, dialect, body, path, answerTo(dialect, body));
    } else if (path.endsWith('/count_tokens') || path.endsWith(':countTokens')) {
      response.writeHead(200, {'content-type': 'application/json'}).end('{"input_tokens": 1, "totalTokens": 1}');
    } else {
      const error = {type: 'not_found_error', message: 'this model knows no such address', code: 404};
      response.writeHead(404, {'content-type': 'application/json'}).end(JSON.stringify({error}));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    seen,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
